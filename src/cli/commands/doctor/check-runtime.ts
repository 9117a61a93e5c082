import { type Finding, ok, problem, warning } from './finding.ts';

const minNodeVersion = '22.18.0';
/** Earlier versions can corrupt a database in WAL mode when two connections reset the log at the same time. */
const minSqliteVersion = '3.51.3';

/** Checks the versions of Node and of its SQLite. */
export function checkRuntime(
  { node, sqlite }: { readonly node: string; readonly sqlite?: string } = process.versions,
): Finding[] {
  return [checkNode(node), checkSqlite(sqlite)];
}

function checkNode(version: string): Finding {
  if (isAtLeast(version, minNodeVersion)) return ok(`Node ${version}`);
  const what = `Node ${version} is too old, ${minNodeVersion} is needed`;
  return problem(what, 'install a newer Node from https://nodejs.org');
}

function checkSqlite(version: string | undefined): Finding {
  if (version === undefined) return problem('this Node has no SQLite', 'install Node from https://nodejs.org');
  if (isAtLeast(version, minSqliteVersion)) return ok(`SQLite ${version}`);
  return warning(
    `SQLite ${version} has a bug that can damage the journal when several processes write to it (fixed in ${minSqliteVersion})`,
    'update Node, which brings SQLite',
  );
}

function isAtLeast(version: string, wanted: string): boolean {
  return version.localeCompare(wanted, 'en', { numeric: true }) >= 0;
}
