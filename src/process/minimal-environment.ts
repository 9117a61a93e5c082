/** What a program needs to find its way, and nothing that would hand it a secret or change how it runs. */
const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL'] as const;

/** Whether a variable is one that every program gets, and that holds no secret. */
export function isHarmlessVariable(name: string): boolean {
  return harmless.some((one) => one === name);
}

/** The environment of a program: a few variables of ours, and exactly those that are named. */
export function minimalEnvironment(named: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = harmless.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...named };
}
