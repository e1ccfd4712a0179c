import type { SettingsStep } from '../activities/portal-change/settings';
import type { SettingsInput } from '../model/portal-change/settings-change';
import { countOf } from '../model/text/words';
import { reading, writing } from './run/activity-options';
import { defineChange } from './portal-change/change-phases';
import { refusal } from './run/failure';

/** Sets a portal's settings where they differ. The previous values are saved in the store. */
export const settings = defineChange('settings', (input: SettingsInput) => {
  const { runId, portal, expected } = input;
  const { portal: name } = portal;
  return {
    read: async (run) => {
      for (const warning of input.warnings) run.warn(warning);
      const { steps, ...found } = await reading(`settings of ${name}`, name).findSettings({
        runId,
        portal,
        expected,
      });
      run.show({ changes: found.changes, saved: found.saved });
      const detail = `${found.version}, ${countOf(found.count, 'value differs', 'values differ')}`;
      return { detail, found: steps.length > 0 ? steps : undefined };
    },
    write: async (run, steps: readonly SettingsStep[]) => {
      for (const step of steps) {
        await writing(`${step.object} of ${name}`, name).writeSettings({ runId, portal, step });
        run.show({ target: 'changed' });
      }
      return { detail: steps.map(({ object }) => object).join(', ') };
    },
    check: async () => {
      const other = await reading(`settings of ${name}, again`, name).checkSettings({ runId, portal });
      if (other.length === 0) return { detail: 'read back' };
      throw refusal(
        'NOT_TAKEN',
        `${name} reported success, but shows different values: ${other.map(({ path }) => path).join(', ')}`,
        `Check these on ${name}; someone else may be changing them too.`,
        name,
      );
    },
  };
});
