/** Returns the processor time that synchronous work takes, in milliseconds: unlike the clock, it does not depend on other processes. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
