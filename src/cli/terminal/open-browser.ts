import { spawn } from 'node:child_process';

/** Opens the person's browser where there is one; says whether it was tried. Without a shell: the address comes from a stranger. */
export function openBrowser(url: URL): boolean {
  const program = browserProgram();
  if (program === undefined) return false;
  const [command, ...args] = program;
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true });
  // The address was printed, so that nothing is lost.
  child.on('error', () => undefined);
  child.unref();
  return true;
}

function browserProgram(): [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
  return hasScreen ? ['xdg-open'] : undefined;
}
