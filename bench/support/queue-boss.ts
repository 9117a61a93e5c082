/** The used part of pg-boss, which is installed with the other peers and not as a dependency. */
export interface Boss {
  readonly PgBoss: new (options: object) => {
    on(event: 'error', listener: () => void): void;
    start(): Promise<unknown>;
    stop(): Promise<void>;
    createQueue(name: string, options: object): Promise<void>;
    send(name: string, data: object, options?: object): Promise<string | null>;
    work(
      name: string,
      options: object,
      handler: (jobs: readonly { readonly data: { readonly content: string } }[]) => Promise<void>,
    ): Promise<string>;
  };
}
