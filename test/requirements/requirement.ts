/** A test that shows a promise: `path/to/file.test.ts > describe > test name`. */
type TestReference = `${string}.test.ts > ${string}`;

/** The id of a requirement: section and number. */
export type RequirementId = `${'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H'}${number}`;

/** Something a user was promised, and the tests that show it. */
export interface Requirement {
  readonly promise: string;
  /** Open while empty. Every test named here must exist and pass, or the run fails. */
  readonly tests: readonly TestReference[];
  /** What the tests do not show yet; the promise stays open until it is gone. */
  readonly missing?: string;
}

/** The promises of one section. */
export type Section<Letter extends string> = Readonly<Record<`${Letter}${number}`, Requirement>>;
