/** A file that Signalbox or an agent runs, or reads as authority. */
export interface ProtectedFile {
  /** Absolute, whether or not the file exists. */
  readonly path: string;
  /** Completes the sentence "it is …": "a policy file". */
  readonly role: string;
}
