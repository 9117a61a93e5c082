/** What a source throws when the way to a tool broke while it ran, so that nobody can know whether it acted. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
