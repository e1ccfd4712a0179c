import type { SettingsStep } from '../../activities/portal-change/settings';
import type { ChangeRecord } from '../../model/portal-change/change';
import type { SettingsInput } from '../../model/portal-change/settings-change';
import { reading, writing } from '../run/calls';
import { carryOut, Change } from './change';
import { refusal } from '../run/failure';

/** Sets what differs of a portal's settings, object by object; what was there before lies in the store. */
export async function changeSettings(input: SettingsInput): Promise<ChangeRecord> {
  const { runId, portal, expected } = input;
  const { portal: name } = portal;
  let steps: readonly SettingsStep[] = [];
  return await carryOut(new Change('settings', input), {
    read: async ({ state }) => {
      state.warnings.push(...input.warnings);
      const found = await reading(`settings of ${name}`).findSettings({ runId, portal, expected });
      ({ steps } = found);
      state.changes = found.changes;
      state.saved = found.saved;
      const detail = `${found.version}, ${found.count} values differ`;
      return { detail, isAll: steps.length === 0 };
    },
    write: async ({ state }) => {
      for (const step of steps) {
        await writing(`${step.object} of ${name}`).writeSettings({ runId, portal, step });
        state.target = 'changed';
      }
      return { detail: steps.map(({ object }) => object).join(', ') };
    },
    check: async () => {
      const other = await reading(`settings of ${name}, again`).checkSettings({ runId, portal });
      if (other.length === 0) return { detail: 'read back' };
      throw refusal(
        'NOT_TAKEN',
        `${name} answered success, but shows other values than it was sent: ${other.map(({ path }) => path).join(', ')}`,
        `Look at these on ${name}; somebody else may change them as well.`,
        name,
      );
    },
  });
}
