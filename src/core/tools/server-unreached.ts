/** What a source throws when a call could not be handed to its server at all, so that nothing was run. */
export class ServerUnreached extends Error {
  override readonly name = 'ServerUnreached';
}
