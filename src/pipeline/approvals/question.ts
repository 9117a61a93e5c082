import type { ApprovalRecord } from '../../journal/approval-store.ts';

/** One approval that is awaited in this process, by calls and by those who were asked. */
export class Question {
  readonly id: string;
  readonly expiresAt: number;
  readonly answered: Promise<ApprovalRecord>;
  readonly #controller = new AbortController();
  readonly #resolve: (record: ApprovalRecord) => void;
  #waiting = 0;

  constructor({ id, expiresAt }: Pick<ApprovalRecord, 'id' | 'expiresAt'>) {
    this.id = id;
    this.expiresAt = expiresAt;
    const { promise, resolve } = Promise.withResolvers<ApprovalRecord>();
    this.answered = promise;
    this.#resolve = resolve;
  }

  /** Aborted when the answer is not needed any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  enter(): void {
    this.#waiting += 1;
  }

  /** True when nobody waits any more. */
  leave(): boolean {
    this.#waiting -= 1;
    return this.#waiting === 0;
  }

  /** Hands the answer to all calls that wait, and tells the others who were asked. */
  settle(record: ApprovalRecord): void {
    this.#resolve(record);
    this.withdraw(`${record.id} was answered, or has expired`);
  }

  withdraw(reason: string): void {
    this.#controller.abort(new DOMException(reason, 'AbortError'));
  }
}
