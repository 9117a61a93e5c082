import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..', '..');

/** The package as it would be published, built now, with the dependencies of the repository; gone when this process is. */
export function packed(): { readonly launcher: string } {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-packed-'));
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  execFileSync('npm', ['pack', '--pack-destination', place], { cwd: repository, stdio: 'pipe' });
  execFileSync('sh', ['-c', 'tar -xzf *.tgz'], { cwd: place });
  symlinkSync(join(repository, 'node_modules'), join(place, 'package', 'node_modules'));
  return { launcher: join(place, 'package', 'bin', 'signalbox') };
}
