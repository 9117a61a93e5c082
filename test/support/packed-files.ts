import { dirname, normalize } from 'node:path';
import { linksOf } from '../documents/links.ts';
import { pages } from '../documents/pages.ts';
import { type CommandResult, command } from './command.ts';

/** Matches development files, which must not be published. */
const leftover =
  /\.(test|conformance)\.|\.map$|\.tsbuildinfo$|^(test|bench|src|console)\/|^docs\/site\/|\/node_modules\//;

/** Checks that a package contains no development files, and that the links of its pages point to packaged files. */
export async function checkPackedFiles(tarball: string): Promise<CommandResult> {
  const listed = await command('tar', ['-tzf', tarball]);
  if (!listed.ok) return listed;
  const files = new Set(
    listed.output
      .trim()
      .split('\n')
      .map((name) => name.replace('package/', '')),
  );
  const problems = [
    ...[...files].filter((file) => leftover.test(file)).map((file) => `${file} is not for users`),
    ...pages.filter(({ file }) => files.has(file)).flatMap((page) => linksOut(page.file, linksOf(page), files)),
  ];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

function linksOut(
  file: string,
  links: readonly { readonly target: string; readonly line: number }[],
  files: ReadonlySet<string>,
): string[] {
  return links.flatMap(({ target, line }) => {
    const [path = ''] = target.split('#');
    if (path === '' || /^[a-z]+:/.test(target)) return [];
    const linked = normalize(`${dirname(file)}/${path}`).replace(/\/$/, '');
    const isPackaged = files.has(linked) || [...files].some((each) => each.startsWith(`${linked}/`));
    return isPackaged ? [] : [`${file}:${line}: ${target} is not in the package`];
  });
}
