/** The longest pause between two attempts to listen. */
export const longestPauseMs = 30_000;

/** A server that ends idle streams would be asked for a new one every second, for ever: each time the pause grows. */
export function patientScheduler(): (reconnect: () => void, delay: number) => () => void {
  let pause = 0;
  let last = 0;
  return (reconnect, delay) => {
    pause = Date.now() - last > 2 * longestPauseMs ? delay : Math.min(Math.max(pause * 2, delay), longestPauseMs);
    last = Date.now();
    const timer = setTimeout(reconnect, pause);
    return () => clearTimeout(timer);
  };
}
