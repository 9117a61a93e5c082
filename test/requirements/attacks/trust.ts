import type { Section } from '../requirement.ts';

const attack = (name: string): `test/attacks/workspace-trust.test.ts > ${string}` =>
  `test/attacks/workspace-trust.test.ts > ${name}`;
const grants = (name: string): `test/attacks/secret-grants.test.ts > ${string}` =>
  `test/attacks/secret-grants.test.ts > ${name}`;
const capabilities = (name: string): `src/config/trust/capabilities.test.ts > ${string}` =>
  `src/config/trust/capabilities.test.ts > ${name}`;

/** Trust in configurations and grants of secrets (H40–H49). */
export const trust: Section<'H'> = {
  H40: {
    promise:
      'of a configuration that nobody accepted on this machine, no command runs, loads, contacts, resolves or applies anything; the refusal names the command that accepts it',
    tests: [
      attack('configuration that was not accepted > is tested with every command'),
      attack(
        'configuration that was not accepted > is used by no command: nothing is run, loaded, contacted, resolved or applied',
      ),
      attack('configuration that was not accepted > is not trusted because --config names it'),
      attack('trust > does not prevent `policy check`, which then starts no server and says so'),
    ],
  },
  H41: {
    promise: 'trust shows all that a configuration would do, as it is written, and is asked for at once on a terminal',
    tests: [
      attack('configuration that was not accepted > is shown in full, with escaped control characters'),
      attack(
        'configuration that was not accepted > is shown in full where a tool or an argument is named like a secret',
      ),
      attack('trust > is requested at once on a terminal, and the command continues'),
      capabilities(
        'a manual edit > is shown in full, except variables, headers and sign-ins whose name is that of a secret',
      ),
    ],
  },
  H42: {
    promise: 'an acceptance is private, and holds for one file in one real directory',
    tests: [
      attack('trust > is recorded privately in the data directory, and covers what was shown'),
      attack('trust > does not hold if another user could have written the record, or for another file'),
    ],
  },
  H43: {
    promise:
      'an edit by hand asks for what it adds, for texts that models and approvers read, and for limits that it raises or lifts, and for nothing else; every key is classified',
    tests: [
      capabilities('every key of a configuration > has an authority, or is part of a value that has one'),
      capabilities(
        'every key of a configuration > must be accepted after an edit in at least one direction, unless it grants and restricts nothing',
      ),
      capabilities('every key of a configuration > must be accepted when it has no authority'),
      attack('trust > is requested again for raised limits and for texts that models and approvers read'),
      capabilities('a manual edit > must be accepted for the reason of a rule'),
      capabilities('a manual edit > needs no acceptance when a limit is lowered'),
      capabilities('a manual edit > must be accepted for an argument'),
      capabilities('a manual edit > must be accepted for a rule that denies less'),
      capabilities('a manual edit > needs no acceptance when a rule that denies is added'),
      capabilities('a manual edit > that adds a limit makes it part of the accepted configuration'),
    ],
  },
  H44: {
    promise: 'commands and the console accept what they write, and nothing else of the file',
    tests: [
      attack('trust > is given by the commands that write a configuration, for the parts that they write'),
      attack('running server > accepts an edit of the console, and nothing that is added beside it'),
    ],
  },
  H45: {
    promise: 'a running server keeps the accepted configuration, says so, and follows once the change is accepted',
    tests: [
      attack(
        'running server > keeps the accepted configuration when a pull adds a server, reports it, and follows once it is accepted',
      ),
    ],
  },
  H46: {
    promise: 'an MCP client that starts signalbox stdio gets an error that names the command to run',
    tests: [
      attack(
        'configuration that was not accepted > makes stdio answer an MCP client with an error that names the command to run',
      ),
    ],
  },
  H47: {
    promise: 'SIGNALBOX_TRUST accepts all configurations, or those of directories by real path and whole names',
    tests: [attack('trust > by environment covers everything, or directories by their real path and whole names')],
  },
  H48: {
    promise: 'a secret, or a sign-in, reaches only configurations that it was granted to',
    tests: [
      grants('secret > is only sent for the configuration that it was granted to'),
      grants('secret > that was removed and set again for one project is not available to another'),
      grants('secret > of an earlier version is granted to no configuration, and requested at the next trust'),
      grants('secret > in a command of the user needs no further approval'),
      grants('an OAuth sign-in belongs to the configuration and the URL that it was made for'),
    ],
  },
  H49: {
    promise: 'a run file of another user, or one that others can read, names no server and no configuration',
    tests: [attack('a run file that other users could have written names no configuration and no server')],
  },
};
