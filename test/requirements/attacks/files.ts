import type { Section } from '../requirement.ts';

/** Protected files, the data directory and undo (H50–H59). */
export const files: Section<'H'> = {
  H50: {
    promise:
      'a call that names a configuration, lock, policy file, tool module, script of a server, or settings or hooks of Claude Code, and is not a read, asks although a rule allows it; the reason names the file and its role',
    tests: [
      'test/attacks/protected-files.test.ts > write to a protected file under a rule that allows everything > asks for tools of an MCP filesystem server',
      'test/attacks/protected-files.test.ts > write to a protected file under a rule that allows everything > asks for arguments of any name and shape of a local tool',
      'test/attacks/protected-files.test.ts > write to a protected file under a rule that allows everything > asks for a command or a patch that names the file',
    ],
  },
  H51: {
    promise:
      'own tools of Claude ask about protected files in every permission mode that asks, and are denied in dontAsk',
    tests: [
      'test/attacks/protected-files.test.ts > write to a protected file under a rule that allows everything > asks for tools of Claude, in every permission mode',
      'src/host/daemon/open-sessions.test.ts > openSessions with Claude > keeps Claude from reading the tokens, and from writing the configuration unasked, even in their directory',
    ],
  },
  H52: {
    promise: 'a protected file is recognised behind links, in other forms of its name and through /proc',
    tests: [
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through a symlink',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through a symlink to its directory',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through a dangling symlink',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through a hard link',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through another case',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through letters that fold to its own',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through ignorable characters',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through characters that Linux ignores where it ignores case',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through a trailing dot and space',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through the name of a stream',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through the root of a process',
      'test/attacks/protected-files.test.ts > protected file under an alias > is recognized through the working directory of a process',
    ],
  },
  H53: {
    promise: 'an approval of a write to a protected file is for one call and that file; a deny rule still denies',
    tests: [
      'test/attacks/protected-files.test.ts > approval of a write to a protected file > covers one call, cannot be remembered, and does not override a deny rule',
      'test/attacks/protected-files.test.ts > approval of a write to a protected file > does not cover the path once it leads to another file',
    ],
  },
  H54: {
    promise:
      'the data directory is closed to agents with SQLite and with PostgreSQL, for own tools of Claude, MCP servers and local tools, reads included',
    tests: [
      'test/attacks/data-directory.test.ts > a box without a configuration closes its data directory to agents',
      'test/attacks/data-directory.test.ts > data directory with records in SQLite > is closed to the built-in tools of Claude, whatever rules, permission modes and humans say',
      'test/attacks/data-directory.test.ts > data directory with records in SQLite > is closed to tools of MCP servers and to local tools',
      'test/attacks/data-directory.test.ts > data directory with records in SQLite > asks when the caller is a human',
      'test/attacks/data-directory.test.ts > data directory with records in PostgreSQL > is closed to the built-in tools of Claude, whatever rules, permission modes and humans say',
      'test/attacks/data-directory.test.ts > data directory with records in PostgreSQL > is closed to tools of MCP servers and to local tools',
      'test/attacks/data-directory.test.ts > data directory with records in PostgreSQL > asks when the caller is a human',
    ],
  },
  H55: {
    promise: 'the data directory is recognised behind symlinks, hard links, .., other cases and /proc',
    tests: [
      'test/attacks/data-directory.test.ts > data directory with records in SQLite > is closed under every alias',
      'test/attacks/data-directory.test.ts > data directory with records in PostgreSQL > is closed under every alias',
    ],
  },
  H56: {
    promise:
      'a call that ends beyond the limits of undo is undone for everything that was checkpointed, and what cannot be is named in the result and by the command',
    tests: [
      'test/attacks/undo.test.ts > undo of a call beyond its limits > restores files that grew to 3 GB, without reading them',
      'test/attacks/undo.test.ts > undo of a call beyond its limits > restores all but too many entries, and names those in the result and in the command',
      'test/attacks/undo.test.ts > undo of a call beyond its limits > restores everything that existed before, if the comparison takes too long',
      'test/attacks/undo.test.ts > undo of a call beyond its limits > takes back a failed call as far as possible',
    ],
  },
  H57: {
    promise: 'undo does not overwrite an edit, also not one that is made while it restores',
    tests: [
      'test/attacks/undo.test.ts > undo of a call beyond its limits > keeps an edit that a human made to such a file',
      'test/attacks/undo.test.ts > edit during an undo > of a large file is not lost',
      'test/attacks/undo.test.ts > edit during an undo > is not lost: a changed file, before it is moved',
      'test/attacks/undo.test.ts > edit during an undo > is not lost: an added file, before it is moved',
      'test/attacks/undo.test.ts > edit during an undo > is not lost: a file that was saved under its name again',
      'test/attacks/undo.test.ts > edit during an undo > is not lost: a file of the same length',
      'test/attacks/undo.test.ts > edit during an undo > is not lost: a new file in place of one that was just moved',
    ],
  },
  H58: {
    promise: 'a process that is killed in an undo loses neither the file that it had moved nor an edit of it',
    tests: [
      'test/attacks/undo.test.ts > undo that is killed around each rename > loses nothing without an edit',
      'test/attacks/undo.test.ts > undo that is killed around each rename > loses nothing with an edit at the last moment',
    ],
  },
  H59: {
    promise:
      'protected files and the data directory are recognised inside queries, JSON, options, addresses, patches and commands under any key, and when a command or tool moves or removes a directory that holds one; a document that mentions a protected file is written without a question',
    tests: [
      'test/attacks/protected-files.test.ts > protected file named inside a longer text > is recognized in queries, JSON, options, URLs, patches and commands, under any key',
      'test/attacks/protected-files.test.ts > protected file named inside a longer text > is recognized when its directory is moved or removed, not when it is copied',
      'test/attacks/protected-files.test.ts > protected file named inside a longer text > is ignored in the text of a document',
      'test/attacks/data-directory.test.ts > data directory with records in SQLite > is closed when its path is inside a longer text, under any key',
      'test/attacks/data-directory.test.ts > data directory with records in PostgreSQL > is closed when its path is inside a longer text, under any key',
    ],
  },
};
