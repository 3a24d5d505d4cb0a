import { isError, type TransactionReceipt, type TransactionResponse } from "ethers";
import { DeployError } from "./error.ts";

/**
 * Waits until a transaction is mined.
 * @throws DeployError when it reverts, is replaced or is not mined in time
 */
export async function minedReceipt(
  sent: TransactionResponse,
  timeoutMs: number,
): Promise<TransactionReceipt> {
  try {
    const receipt = await sent.wait(1, timeoutMs);
    if (receipt !== null) return receipt;
  } catch (error) {
    if (isError(error, "CALL_EXCEPTION")) {
      throw new DeployError(`The chain reverted the deployment, transaction ${sent.hash}.`, { cause: error });
    }
    if (isError(error, "TRANSACTION_REPLACED")) {
      throw new DeployError(`Another transaction of the deployer took the place of ${sent.hash}.`);
    }
    if (isError(error, "TIMEOUT")) {
      throw new DeployError(
        `Transaction ${sent.hash} was sent and is not mined after ${timeoutMs / 1000} seconds; it may still be.`,
      );
    }
    throw error;
  }
  throw new DeployError(`The node gave no receipt of transaction ${sent.hash}.`);
}

/** Whether the chain, and not its node, refused. */
export function reverted(error: unknown): boolean {
  return isError(error instanceof DeployError ? error.cause : error, "CALL_EXCEPTION");
}

/** Whatever went wrong, in one sentence. */
export function explained(error: unknown, node: string, chainId: number): DeployError {
  if (error instanceof DeployError) return error;
  if (reverted(error)) {
    return new DeployError(
      `Chain ${chainId} would revert the deployment: it may not support the EVM version cancun.`,
      { cause: error },
    );
  }
  if (isError(error, "INSUFFICIENT_FUNDS")) {
    return new DeployError("The deployer cannot pay for the deployment.", { cause: error });
  }
  const reason = error instanceof Error && "shortMessage" in error ? error.shortMessage : String(error);
  return new DeployError(`The deployment failed at ${node}: ${reason}.`, { cause: error });
}
