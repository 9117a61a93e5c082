/** Receives the messages for the operator of a running system. The command line prints them to standard error. */
export interface HostLog {
  /** A line about normal operation. */
  info(text: string): void;
  /** A problem that does not stop the system; may have several lines. */
  warn(text: string): void;
}
