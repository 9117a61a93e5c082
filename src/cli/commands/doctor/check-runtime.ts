import type { Finding } from './finding.ts';

const neededNode = '22.18.0';
/** Versions before it can corrupt a database in WAL mode when two connections reset the log at the same time. */
const wantedSqlite = '3.51.3';

/** Looks at Node and at the SQLite it brings. */
export function checkRuntime(
  versions: { readonly node: string; readonly sqlite?: string } = process.versions,
): Finding[] {
  return [checkNode(versions.node), checkSqlite(versions.sqlite)];
}

function checkNode(version: string): Finding {
  if (isAtLeast(version, neededNode)) return { level: 'ok', what: `Node ${version}` };
  return {
    level: 'error',
    what: `Node ${version} is too old, ${neededNode} is needed`,
    fix: 'install a newer Node from https://nodejs.org',
  };
}

function checkSqlite(version: string | undefined): Finding {
  if (version === undefined)
    return { level: 'error', what: 'this Node has no SQLite', fix: 'install Node from https://nodejs.org' };
  if (isAtLeast(version, wantedSqlite)) return { level: 'ok', what: `SQLite ${version}` };
  return {
    level: 'warning',
    what: `SQLite ${version} has a fault that can damage the journal when several processes write to it (mended in ${wantedSqlite})`,
    fix: 'update Node, which brings SQLite',
  };
}

function isAtLeast(version: string, wanted: string): boolean {
  return version.localeCompare(wanted, 'en', { numeric: true }) >= 0;
}
