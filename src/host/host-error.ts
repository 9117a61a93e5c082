/** `usage`: an option or a variable must be changed. `token-unavailable`: a token file cannot be read or written. */
export type HostErrorCode = 'usage' | 'token-unavailable';

/** A condition that prevents Signalbox from starting, with the next step for the person who started it. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;
  readonly next: string;

  constructor(
    code: HostErrorCode,
    message: string,
    { next, cause }: { readonly next: string; readonly cause?: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.next = next;
  }
}
