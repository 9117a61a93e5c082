import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyedSlotMap, SlotMap } from './slot-map.ts';

const ascending = (one: number, other: number): number => one - other;

describe('slots', () => {
  test('hold what was put in and not taken out, and places are used again', () => {
    const slots = new SlotMap<string>();
    const [one, two] = [slots.add('one'), slots.add('two')];
    slots.remove(one);
    assert.equal(slots.add('three'), one);
    assert.deepEqual([...slots].toSorted(), ['three', 'two']);
    assert.equal(slots.at(two), 'two');
    assert.equal(slots.size, 2);
  });

  test('those that go while they are gone through are not met, and nobody is met twice', () => {
    const slots = new SlotMap<number>();
    const places = [1, 2, 3].map((value) => slots.add(value));
    const met: number[] = [];
    for (const value of slots) {
      met.push(value);
      if (value === 1) slots.remove(places[1] ?? -1);
    }
    assert.deepEqual(met, [1, 3]);
  });

  test('by name they are a map, whatever is put in and taken out', () => {
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
