import type { Section } from './requirement.ts';

/** G. Many machines, faults, attackers */
export const machinesFaultsAttackers: Section<'G'> = {
  G1: {
    promise: 'any number of replicas on PostgreSQL; a killed worker’s turn is taken over or ended clearly',
    tests: [],
  },
  G2: {
    promise: 'acknowledged records survive kill -9; a full disk or lost database lets no unjournaled call run',
    tests: [
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
    ],
    missing: 'full disk, lost database, PostgreSQL',
  },
  G3: {
    promise: 'overload is shed early, a sick server slows no other, SIGTERM drains',
    tests: [],
  },
  G4: {
    promise: 'hostile input causes no crash and no stall',
    tests: [],
  },
  G5: {
    promise: 'rebinding, cross-site, forged handles, SSRF, path escape, injection and token confusion are refused',
    tests: [],
  },
};
