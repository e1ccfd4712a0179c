import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributeNames } from '../model/search-attributes';

export const phaseKey = defineSearchAttributeKey(searchAttributeNames.phase, 'KEYWORD');
export const outcomeKey = defineSearchAttributeKey(searchAttributeNames.outcome, 'KEYWORD');
