import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributeNames } from '../../model/run/search-attributes';

export const phaseKey = defineSearchAttributeKey(searchAttributeNames.phase, 'KEYWORD');
export const outcomeKey = defineSearchAttributeKey(searchAttributeNames.outcome, 'KEYWORD');
export const kindKey = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');
export const routeKey = defineSearchAttributeKey(searchAttributeNames.route, 'KEYWORD');
