import type { Address } from "viem";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import type { EventFilter } from "../../db/service/events/read.ts";
import { chainKinds, type EventKind } from "../../domain/events/kinds.ts";

/**
 * Which events a filter lets through, decided in memory as `readEvents` decides it in the database, so that one reading of
 * the log serves all streams of a process.
 */

/** The filter of a stream, and the wallets that its user has at the moment. */
export type Interest = { filter: EventFilter; wallets: ReadonlySet<Address> };

/** Whether an event is one that a stream is told of. */
export function isTold({ filter, wallets }: Interest, event: LoggedEvent): boolean {
  const { kinds, assetId } = filter;
  if (!kinds.includes(event.kind)) return false;
  if (filter.requestId !== undefined) {
    return event.request?.id === filter.requestId && (assetId === undefined || event.assetId === assetId);
  }
  if (assetId !== undefined && event.assetId !== assetId && event.targetId !== assetId) return false;
  const { tenant, user } = filter.audience;
  if (event.tenant === undefined && event.user === undefined) return true;
  if (tenant !== undefined && event.tenant === tenant) return true;
  if (user === undefined) return false;
  if (event.user?.issuer === user.issuer && event.user.subject === user.subject) return true;
  return event.request !== undefined && event.author !== undefined && wallets.has(event.author);
}

const ofUser = ({ issuer, subject }: { issuer: string; subject: string }) => `user ${issuer} ${subject}`;
export const roomOfAuthor = (address: Address) => `author ${address}`;

/** The rooms in which an event is told: whoever may be told of it is in one of them. */
export function roomsOf({ kind, request, tenant, user, author }: LoggedEvent): string[] {
  if (user !== undefined) return [ofUser(user)];
  if (tenant === undefined) return [`kind ${kind}`];
  return [
    `tenant ${tenant}`,
    ...(request === undefined ? [] : [`request ${request.id}`]),
    ...(author === undefined ? [] : [roomOfAuthor(author)]),
  ];
}

/** The rooms in which a stream hears all that it is told of. */
export function roomsFor({ filter, wallets }: Interest): string[] {
  if (filter.requestId !== undefined) return [`request ${filter.requestId}`];
  const { tenant, user } = filter.audience;
  const ofChain: readonly EventKind[] = chainKinds.filter((kind) => filter.kinds.includes(kind));
  return [
    ...ofChain.map((kind) => `kind ${kind}`),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
    ...(user === undefined ? [] : [ofUser(user), ...[...wallets].map(roomOfAuthor)]),
  ];
}

/**
 * Adds the wallet that an event connects to those of the filter's user, or takes away the one that it removes.
 * @returns the change; undefined where the event changes nothing for this user
 */
export function followWallet(
  { filter, wallets }: { filter: EventFilter; wallets: Set<Address> },
  { kind, user, author }: LoggedEvent,
): { address: Address; isConnected: boolean } | undefined {
  if (filter.requestId !== undefined || user === undefined || author === undefined) return undefined;
  const mine = filter.audience.user;
  if (mine?.issuer !== user.issuer || mine.subject !== user.subject) return undefined;
  const isConnected = kind === "wallet.connected";
  if (isConnected) wallets.add(author);
  else wallets.delete(author);
  return { address: author, isConnected };
}
