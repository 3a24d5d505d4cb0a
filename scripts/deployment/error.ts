/** The registry could not be deployed; the message is one sentence for the person at the terminal. */
export class DeployError extends Error {
  override readonly name = "DeployError";
}
