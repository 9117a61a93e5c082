/** How one looks for what processes left that are gone. */
export interface RecoveryOptions {
  /** One that lives may seem gone for a moment, when its connection broke: one that looks often takes it for gone a little later. */
  readonly patient?: boolean;
}
