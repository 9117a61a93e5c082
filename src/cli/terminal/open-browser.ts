import { spawn } from 'node:child_process';

/** Opens a URL in the browser. Returns false when there is none. Uses no shell, because the URL comes from an untrusted server. */
export function openBrowser(url: URL): boolean {
  const program = browserProgram();
  if (program === undefined) return false;
  const [command, ...args] = program;
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true });
  // The address is also printed, so a failure needs no report.
  child.on('error', () => undefined);
  child.unref();
  return true;
}

function browserProgram(): [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
  return hasDisplay ? ['xdg-open'] : undefined;
}
