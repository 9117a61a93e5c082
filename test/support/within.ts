/** Longer than any operation on a busy machine, and shorter than the timeout of a test. */
const defaultTimeoutMs = 90_000;

/** Waits for a promise with a timeout. The error names the expected event and the current state. */
export async function within<Value>(
  promise: Promise<Value>,
  expected: string,
  state: () => string = () => 'nothing',
  ms = defaultTimeoutMs,
): Promise<Value> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${expected} did not happen within ${ms / 1000} s; so far: ${state()}`)),
    ms,
  );
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
