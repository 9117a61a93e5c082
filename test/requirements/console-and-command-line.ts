import type { Section } from './requirement.ts';

/** F. Console, CLI, first five minutes */
export const consoleAndCommandLine: Section<'F'> = {
  F1: {
    promise: 'the console shows sessions, approvals, catalog, servers, calls, policies and lock',
    tests: [],
  },
  F2: {
    promise: 'the console works by keyboard, screen reader, in light and dark, on a phone’s width',
    tests: [],
  },
  F3: {
    promise: 'the CLI does what interface.md lists, with `--json` and helpful errors',
    tests: [],
  },
  F4: {
    promise: 'from clone to an approved and undone call in five minutes, without a key',
    tests: ['test/e2e/first-minutes.test.ts > from a fresh start to an approved and undone call, without a key'],
    missing: 'the time it takes from a clone is not measured',
  },
  F5: {
    promise: 'guide, reference, examples that run in the tests, troubleshooting, changelog',
    tests: [],
  },
};
