import {
  type SettingField,
  settingObject,
  type SettingObject,
  settingObjectNames,
  settingTypes,
} from '../../../src/model/portal-change/portal-settings';
import { table, writtenBy } from './table';

export const settingsPage = (): string => `# Settings

${writtenBy('the table of settings')}

A file of settings, as \`portolan settings export\` writes it and \`portolan settings apply\` takes it, is YAML or JSON. What it leaves out stays as it is on the portal; \`null\` clears, a value or a whole object. Values marked _needed_ cannot be cleared alone, and an object that a portal does not have yet has to have them.

\`exported\` names portal, address and version from which a file was exported; with it, \`portolan settings diff\` says what an upgrade in between dropped. It can be left out.

_Host_: the value names a host, so \`portolan settings promote\` leaves it out unless that host is mapped with \`--map\`. _Lost_: an upgrade of the portal does not keep it.

${settingObjectNames.map((name) => section(name, settingObject(name))).join('\n\n')}
`;

const section = (name: string, object: SettingObject): string => `## ${name}

${sentence(object.meaning)} ${availability(object)}

${table(
  ['Value', 'Type', 'Not set', 'From', 'What it does'],
  Object.entries(object.fields).map(([field, facts]) => row(field, facts, object.since)),
)}`;

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function availability({ since, only, notCarriedInto }: SettingObject): string {
  const where =
    only === undefined
      ? 'On all deployments'
      : `On ${only === 'hosted' ? 'the hosted deployment' : 'self-managed portals'} only`;
  const upgrade =
    notCarriedInto === undefined
      ? ''
      : ` What releases before ${notCarriedInto} kept in a file of their own is lost in the upgrade to it, and has to be set here again.`;
  return `${where}, from ${since}.${upgrade}`;
}

function row(name: string, field: SettingField, since: string): string[] {
  const marks = [
    ...(field.isNeeded ? ['_needed_'] : []),
    ...(field.namesHost ? ['_host_'] : []),
    ...(field.isLostOnUpgrade ? ['_lost_'] : []),
  ];
  const unset = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
  const means = [field.meaning, ...marks].join('; ');
  return [`\`${name}\``, settingTypes[field.type], unset, field.since ?? since, means];
}
