import { describe, expect, it } from 'vitest';
import {
  type CollectTarget,
  collectConflict,
  parseCollectTarget,
} from '../../domain/collect-target.ts';

function target(text: string): CollectTarget {
  const parsed = parseCollectTarget(text);
  if (parsed === null) throw new Error(`${text} is not a target`);
  return parsed;
}

describe('contexts that are collected beside a server', () => {
  it.each([
    ['one at the default ports', ['a']],
    ['ports of their own', ['a=2055', 'b=2056']],
    ['a default port of none', ['a', 'b=2056']],
    ['the same port of two addresses', ['a=192.0.2.1:2055', 'b=192.0.2.2:2055']],
    ['the same port of two families', ['a=0.0.0.0:2055', 'b=[::1]:2055']],
    ['any free port', ['a=0', 'b=0']],
  ])('can have %s', (_, texts) => {
    expect(collectConflict(texts.map(target))).toBeNull();
  });

  it.each([
    [['a', 'b'], 'a and b', 2055],
    [['a', 'b=6343'], 'a and b', 6343],
    [['a', 'b=127.0.0.1:2055'], 'a and b', 2055],
    [['a=7', 'b=8', 'c=8'], 'b and c', 8],
    [['a=192.0.2.1:7', 'b=192.0.2.1:7'], 'a and b', 7],
    [['a=192.0.2.1:7', 'b=0.0.0.0:7'], 'a and b', 7],
    [['a=[::1]:7', 'b=7'], 'a and b', 7],
  ])('cannot be %j, which share a port', (texts, names, port) => {
    const last = texts.at(-1)?.replace(/=.*/, '');
    expect(collectConflict(texts.map(target))).toBe(
      `contexts ${names} would both receive at udp port ${port}: ` +
        `give each a port of its own, as ${last}=PORT does`,
    );
  });

  it('are named once each, because two collectors of one context would count twice', () => {
    expect(collectConflict([target('a=7'), target('b=8'), target('a=9')])).toBe(
      'context a is to be collected twice: name it once',
    );
  });
});
