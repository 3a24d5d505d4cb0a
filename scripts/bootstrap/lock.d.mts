/** A lock file of this process. */
export type Lock = { release(): void; shareWith(pid: number): void };
export function tryLock(path: string): Lock | { heldBy: number };
export function lock(path: string, onWait?: (pid: number) => void): Promise<Lock>;
export function isForbidden(error: NodeJS.ErrnoException): boolean;
