/** The way back to a client: the stream of one request, or the one that belongs to no request. */
export interface Channel {
  /** Whether anything but the answer can be sent. */
  readonly canTell: boolean;
  /** Sends a message before the answer. Nobody there to hear it is no fault. */
  tell(text: string): void;
}
