import { jest } from '@jest/globals';
import { blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import { aroundNewCalls, atEveryWrite, describeStruck } from '../harness/suites';

jest.setTimeout(60 * 60_000);

const all: readonly Kind[] = [kinds.sync, kinds.inParts, kinds.changed, kinds.twoPackages];

describeStruck(all.map((kind) => [kind, [blows.cut, aroundNewCalls], [blows.cut, atEveryWrite]]));
