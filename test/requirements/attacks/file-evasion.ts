import type { Section } from '../requirement.ts';

/** Ways around the protection of files. */
export const fileEvasion: Section<'H'> = {
  H102: {
    promise:
      'a path that is too long before it is normalized is recognized as protected or closed, a word with such a name that stays too long is not passed, and other long texts pass',
    tests: [
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > a name that is too long',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > a name that is too long, in a file URL',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > several of them',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > leading separators',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > separators in the middle',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > leading dots',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > parents of the root',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > parents of the working directory',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > percent-encoded parents',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > a word with the name of a closed or protected file that stays too long is not passed',
      'test/attacks/guard-evasion.test.ts > a path is normalized before limits of length apply > texts that only are long pass',
    ],
  },
  H103: {
    promise: 'the data directory is recognized in URLs that parsers clean',
    tests: [
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > a leading control character',
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > a tab in the scheme',
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > a line break in the scheme',
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > a leading space and a tab in the path',
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > all of them',
      'test/attacks/guard-evasion.test.ts > a URL is recognized as parsers clean it > backslashes and a tab in the scheme',
    ],
  },
  H104: {
    promise:
      'the data directory is recognized in commands that change the directory or quote a name, and in a path over several arguments; a command that the parser refuses asks when a word in it leads to a directory that holds a protected file',
    tests: [
      'test/attacks/guard-evasion.test.ts > a command that hides a name > changes to the home directory',
      'test/attacks/guard-evasion.test.ts > a command that hides a name > changes to the home directory with an option',
      'test/attacks/guard-evasion.test.ts > a command that hides a name > changes to it in two steps',
      'test/attacks/guard-evasion.test.ts > a command that hides a name > changes the directory step by step',
      'test/attacks/guard-evasion.test.ts > a command that hides a name > changes it in a subshell',
      'test/attacks/guard-evasion.test.ts > a command that hides a name > and moves or copies asks or is denied, also when the parser refuses it',
      'test/attacks/guard-evasion.test.ts > a path in several arguments > is recognized in three parts, and beside any number of directories',
    ],
  },
  H105: {
    promise:
      'the check of a call for protected files takes bounded processor time, and padding does not hide the data directory from it',
    tests: [
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > commands that are slow to parse, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > commands that are slow to parse, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > paths and directories, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > paths and directories, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > parts of paths, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > parts of paths, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > deep paths, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > deep paths, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > an open quote and spaces, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > an open quote and spaces, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > directories and operands, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > directories and operands, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > names near the limit, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > names near the limit, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > a long word, in a call with the effect read',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > a long word, in a call with the effect irreversible',
      'test/attacks/guard-evasion.test.ts > checking a call takes bounded work > an ordinary call with many strings passes',
    ],
  },
  H106: {
    promise:
      'code that a server starts from is protected where its entry names it by a directory, a name without extension, a variable, an npm package or the import of a tool module',
    tests: [
      'test/attacks/protected-files.test.ts > code that a server starts from is protected where its entry names it indirectly > by a directory, a name without extension, a variable, an npm package or an import',
      'src/config/trust/authority-files.test.ts > what an interpreter resolves is code: names without extension, directories, modules, preloads and variables',
    ],
  },
  H107: {
    promise:
      'a copy of an npm package in the project that would run instead of the published one is shown, and asks when it appears',
    tests: [
      'test/attacks/npm-copies.test.ts > trust shows a copy of an npm package in the project, which runs instead of the published one, and asks when one appears',
    ],
  },
  H108: {
    promise:
      'a relative path whose place depends on the directory that the tool was started in, and a text that URL parsers clean, are errors of path(x)',
    tests: [
      'test/attacks/path-conditions.test.ts > path(x) of a text that a tool may read in another way > a relative path is an error where the directory that the tool was started in gives another answer',
      'test/attacks/path-conditions.test.ts > path(x) of a text that a tool may read in another way > a text that URL parsers or tools clean before they read it is an error',
    ],
  },
};
