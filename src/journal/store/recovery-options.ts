/** Options for finding the work of processes that have ended. */
export interface RecoveryOptions {
  /** Waits longer before it considers a process ended, because a lost connection looks the same. For periodic checks. */
  readonly patient?: boolean;
}
