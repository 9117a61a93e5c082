import type { Section } from '../requirement.ts';

/** Ways around the protection of files. */
export const fileEvasion: Section<'H'> = {
  H102: {
    promise:
      'a path that is too long before it is normalized is recognized as protected or closed, a word with such a name that stays too long is not passed, and other long texts pass',
    tests: [
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with a name that is too long',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with a name that is too long, in a file URL',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with several names that are too long',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with leading separators',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with separators in the middle',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with leading dots',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with parents of the root',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with parents of the working directory',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > recognizes a path with percent-encoded parents',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > a word that stays too long is denied if it names a closed file, and asks if it names a protected one',
      'test/attacks/guard-evasion.test.ts > file guard against long paths > long texts without such names pass',
    ],
  },
  H103: {
    promise: 'the data directory is recognized in URLs that parsers clean',
    tests: [
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with a leading control character',
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with a tab in the scheme',
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with a line break in the scheme',
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with a leading space and a tab in the path',
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with all of these',
      'test/attacks/guard-evasion.test.ts > file guard against malformed file URLs > recognizes a URL with backslashes and a tab in the scheme',
    ],
  },
  H104: {
    promise:
      'the data directory is recognized in commands that change the directory or quote a name, and in a path over several arguments; a command that the parser refuses asks when a word in it leads to a directory that holds a protected file',
    tests: [
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > denies a command that changes to the home directory',
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > denies a command that changes to the home directory with an option',
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > denies a command that changes to it in two steps',
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > denies a command that changes the directory step by step',
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > denies a command that changes it in a subshell',
      'test/attacks/guard-evasion.test.ts > file guard against commands that hide a path > a move, copy or removal asks or is denied, even if the parser rejects the command',
      'test/attacks/guard-evasion.test.ts > file guard against paths split over arguments > recognizes a path in three parts, and a path next to any number of directories',
    ],
  },
  H105: {
    promise:
      'the check of a call for protected files takes bounded processor time, and padding does not hide the data directory from it',
    tests: [
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for commands that are slow to parse, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for commands that are slow to parse, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for paths and directories, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for paths and directories, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for parts of paths, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for parts of paths, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for deep paths, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for deep paths, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for an open quote and spaces, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for an open quote and spaces, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for directories and operands, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for directories and operands, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for names near the limit, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for names near the limit, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for changes of the directory, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for changes of the directory, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for ANSI-C quotes, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for ANSI-C quotes, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for a long climb, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for a long climb, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for a long word, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > is bounded for a long word, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > CPU time of the file guard > an ordinary call with many strings passes',
    ],
  },
  H106: {
    promise:
      'code that a server starts from is protected where its entry names it by a directory, a name without extension, a variable, an npm package or the import of a tool module',
    tests: [
      'test/attacks/protected-files.test.ts > code of a server that its entry names indirectly > is protected: by a directory, a name without extension, a variable, an npm package or an import',
      'src/config/trust/authority-files.test.ts > authorityFiles includes everything that an interpreter resolves: names without extension, directories, modules, preloads and variables',
    ],
  },
  H107: {
    promise:
      'a copy of an npm package in the project that would run instead of the published one is shown, and asks when it appears',
    tests: [
      'test/attacks/npm-copies.test.ts > trust shows a copy of an npm package in the project that runs instead of the published one, and asks when a copy appears',
    ],
  },
  H108: {
    promise:
      'a relative path whose place depends on the directory that the tool was started in, and a text that URL parsers clean, are errors of path(x)',
    tests: [
      'test/attacks/conditions.test.ts > path(x).within(dir) > rejects a relative path if the directory of the process gives another answer than the workspace',
      'test/attacks/conditions.test.ts > path(x).within(dir) > rejects a text that URL parsers or tools clean before they read it',
    ],
  },
  H120: {
    promise:
      'a directory that a command or tool moves, removes, copies, links or mounts is recognized whatever names its destination, and whatever the case of the tool',
    tests: [
      'test/attacks/guard-moves.test.ts > file guard against hidden sources of a move, copy or link > a destination in an option does not hide the source of a copy or move',
      'test/attacks/guard-moves.test.ts > file guard against hidden sources of a move, copy or link > redirections, wrappers and other positions of operands do not hide the source',
      'test/attacks/guard-moves.test.ts > file guard against hidden sources of a move, copy or link > a program and its operands in several strings count as one command',
      'test/attacks/guard-moves.test.ts > file guard against hidden sources of a move, copy or link > a copy or move into a directory with protected files does not ask',
      'test/attacks/guard-moves.test.ts > file guard against hidden sources of a move, copy or link > a link to a directory, or a mount of it, counts as a move of it',
      'test/attacks/guard-moves.test.ts > file guard against the names of tools that move or delete > every argument of a tool that deletes counts, and a destination only counts as one next to a source',
    ],
  },
  H121: {
    promise:
      'an ANSI-C quote is decoded as Bash does it, and one that shells read differently denies or asks where it may hide a name; a name and its extension in two arguments are one name',
    tests: [
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .sig$'\\0'nalbox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .sig$'\\x00abc'nalbox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .sig$'\\c@'nalbox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .s$'igna\\x{6c}b'ox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .s$'igna\\x{0000006c}b'ox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as $'\\056signalbox'",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .$'\\163\\x69g\\u006ea\\U0000006cb'ox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .sig$'\\q'nalbox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .signal$'\\M-b'ox",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .signalbox$'\\0junk'",
      "test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > denies an agent the data directory as .sig$'\\0''nal'$'\\0'box",
      'test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > asks for a protected file, and for a quote that may be any name',
      'test/attacks/guard-spelling.test.ts > file guard against ANSI-C quotes > passes ordinary quotes and NUL separators',
      'test/attacks/guard-spelling.test.ts > file guard against names spread over arguments > joins a name and its extension',
    ],
  },
  H122: {
    promise:
      'the data directory and protected files are recognized in relative paths from the directories of earlier calls to the server, and by the end of a path whose start is unknown; ordinary relative paths do not ask',
    tests: [
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that climbs from it',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that climbs from it to the name of the directory',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it step by step',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it step by step with options',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it by an absolute name',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a command that starts from the home directory of an earlier call',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it by quoted names',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it in other languages',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that changes it on Windows',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that gives it to a program',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that goes above it and back',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that enters a directory that it creates',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that enters a directory with a space in its name',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that goes up through links',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that goes up through links in two steps',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a copy of a directory above the data directory',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a copy of its own directory',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a copy after changes in one command',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that uses backslashes',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that uses another case',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that uses ignorable characters',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that percent-encodes the name',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that starts from a variable',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > denies a command that goes through a directory that does not exist',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a path that climbs to a protected file',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a path that climbs by less than the whole project',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a name in a directory of an earlier call',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a name after single steps',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a removal of its own directory',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > asks for a move from the directory above',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > applies to directories in arguments, to tools with other keys, and to every caller of the server',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > a link in a directory of an earlier call is followed',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > with too many directories, a name is judged by its end',
      'test/attacks/guard-earlier-calls.test.ts > file guard against the directory of an earlier call > ordinary relative paths in a workspace do not ask',
    ],
  },
};
