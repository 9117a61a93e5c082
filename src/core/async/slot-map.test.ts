import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyedSlotMap, SlotMap } from './slot-map.ts';

const ascending = (one: number, other: number): number => one - other;

describe('slot maps', () => {
  test('SlotMap contains the values that were added and not removed, and reuses free slots', () => {
    const slots = new SlotMap<string>();
    const [one, two] = [slots.add('one'), slots.add('two')];
    slots.remove(one);
    assert.equal(slots.add('three'), one);
    assert.deepEqual([...slots].toSorted(), ['three', 'two']);
    assert.equal(slots.at(two), 'two');
    assert.equal(slots.size, 2);
  });

  test('an iteration of a SlotMap skips values that are removed meanwhile, and yields none twice', () => {
    const slots = new SlotMap<number>();
    const taken = [1, 2, 3].map((value) => slots.add(value));
    const seen: number[] = [];
    for (const value of slots) {
      seen.push(value);
      if (value === 1) slots.remove(taken[1] ?? -1);
    }
    assert.deepEqual(seen, [1, 3]);
  });

  test('KeyedSlotMap behaves like a Map for any sequence of operations', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 1), value: fc.option(fc.nat(), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const slots = new KeyedSlotMap<string | number, number>();
        const map = new Map<string | number, number>();
        for (const { name, value } of steps) {
          if (value === undefined) assert.equal(slots.delete(name), map.delete(name));
          else {
            slots.set(name, value);
            map.set(name, value);
          }
          assert.equal(slots.size, map.size);
          assert.equal(slots.has(name), map.has(name));
          assert.equal(slots.get(name), map.get(name));
        }
        assert.deepEqual([...slots.values()].toSorted(ascending), [...map.values()].toSorted(ascending));
      }),
    );
  });
});
