import { after, describe, test } from 'node:test';
import { isFull } from '../support/faults.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { crashPoints } from './crash-points.ts';
import { killRounds } from './kill-rounds.ts';

const cluster = await startPostgres();
after(() => cluster.end());

const rounds = isFull() ? 300 : crashPoints.length;

describe('kill -9 at named points and at random, during calls of every kind', () => {
  const addresses = { SQLite: '', PostgreSQL: cluster.address('kills') };
  for (const [store, address] of Object.entries(addresses)) {
    test(
      `${store}: acknowledged answers persist, nothing acts twice, every call ends or is unknown, and the chain verifies`,
      { timeout: 900_000 },
      (t) => killRounds(t, store, address, rounds),
    );
  }
});
