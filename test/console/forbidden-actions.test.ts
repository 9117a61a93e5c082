import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rolesOf } from '../../console/src/api/schema.ts';
import { root } from '../support/command.ts';

const sources = globSync('console/src/{app,components,pages}/**/*.{ts,tsx}', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);

/** Returns the operations that the sources name in places that match a pattern. */
function operationsIn(place: RegExp): Set<string> {
  const found = sources.flatMap((source) => [...source.matchAll(place)].map(([, operation = '']) => operation));
  return new Set(found.filter((operation) => operation in rolesOf));
}

describe('buttons of the console', () => {
  it('declare every operation that the role of the user may forbid', () => {
    const sent = operationsIn(/['"`]((?:POST|PUT|PATCH|DELETE) \/api\/[^'"`]+)['"`]/g);
    const declared = operationsIn(/(?:operation=|operation = |useForbiddenReason\()['"]([^'"]+)['"]/g);
    // Shown with the approve button, which requires the same roles.
    declared.add('POST /api/approvals/{id}/deny');
    assert.ok(sent.size > 20, `only ${sent.size} operations were found`);
    const undeclared = [...sent].filter(
      (operation) => !declared.has(operation) && rolesOf[operation]?.includes('viewer') !== true,
    );
    assert.deepEqual(undeclared, []);
  });
});
