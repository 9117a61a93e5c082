import { type Stats, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, parse, sep } from 'node:path';

/** The resolved target of a path. */
export interface FollowedPath {
  /** The path with links resolved, even a dangling one, because a write through it creates its target. Missing names stay as written. */
  readonly target: string;
  /** The path without resolving the last name: that of the link itself, when it is a link. */
  readonly link: string;
  readonly exists: boolean;
  /** The reason why a tool may reach another file. Completes the sentence "the path …". */
  readonly doubt?: string;
}

/** A cache of lookups, by the resolved path. */
export type KnownNames = Map<string, Omit<FollowedPath, 'link'>>;

const maxLinks = 40;
const separators = sep === '\\' ? /[/\\]+/ : /\/+/;
/** Virtual files whose content depends on the process that opens them. */
const processPath =
  /^\/(?:proc\/(?:self|thread-self|[^/]+\/(?:task\/[^/]+\/)?(?:cwd|root|exe|fd|map_files))|dev\/(?:fd|std(?:in|out|err)))$/;

/** Resolves an absolute path name by name, as the operating system does: `..` after a link leads to the parent of the link's target. */
export function followPath(path: string, known: KnownNames = new Map(), links = 0): FollowedPath {
  const { root } = parse(path);
  let at: FollowedPath = { target: root, link: root, exists: true };
  for (const name of path.slice(root.length).split(separators)) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      const above = dirname(at.target);
      at = withDoubt({ target: above, link: above, exists: true }, at.doubt);
      continue;
    }
    const link = at.target.endsWith(sep) ? at.target + name : at.target + sep + name;
    const found = at.exists ? lookUp(link, known, links) : { target: link, exists: false };
    at = withDoubt({ link, ...found }, at.doubt);
  }
  return at;
}

function withDoubt(followed: FollowedPath, doubt: string | undefined): FollowedPath {
  return doubt === undefined ? followed : { ...followed, doubt };
}

function lookUp(path: string, known: KnownNames, links: number): Omit<FollowedPath, 'link'> {
  let found = known.get(path);
  if (found === undefined) known.set(path, (found = followName(path, known, links)));
  return found;
}

function followName(path: string, known: KnownNames, links: number): Omit<FollowedPath, 'link'> {
  const processDoubt = processPath.test(path)
    ? { doubt: `leads through ${path}, which is a different file in each process` }
    : undefined;
  let stats: Stats | undefined;
  let doubt = `leads through ${path}, a dangling link`;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { target: path, exists: false, ...processDoubt };
    return { target: realpathSync.native(path), exists: true, ...processDoubt };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return { target: path, exists: false, ...processDoubt };
    if (code !== 'ENOENT') doubt = `cannot be followed at ${path} (${code ?? 'unknown error'})`;
  }
  const target = stats?.isSymbolicLink() === true && links < maxLinks ? linkTarget(path) : undefined;
  if (target === undefined) return { target: path, exists: false, doubt };
  const linked = followPath(isAbsolute(target) ? target : dirname(path) + sep + target, known, links + 1);
  return { target: linked.target, exists: false, doubt };
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The file was removed meanwhile, or is not readable.
    return undefined;
  }
}
