/** The variables that programs need to run, none of which holds a secret. */
const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL'] as const;

/** Returns whether every program gets this variable, because it holds no secret. */
export function isHarmlessVariable(name: string): boolean {
  return harmless.some((one) => one === name);
}

/** Returns the environment of a program: the harmless variables, and those that are configured. */
export function minimalEnvironment(named: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = harmless.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...named };
}
