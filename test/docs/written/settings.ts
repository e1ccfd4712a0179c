import {
  type SettingField,
  settingObject,
  type SettingObject,
  settingObjectNames,
  settingTypes,
} from '../../../src/model/portal-change/portal-settings';
import { table, writtenBy } from './table';

export const settingsPage = (): string => `# Settings

${writtenBy('the settings table')}

\`portolan settings export\` writes a settings file, \`portolan settings apply\` applies one, in YAML or JSON. Values the file leaves out stay unchanged; \`null\` clears a value or an object.

- _Needed_: cannot be cleared alone, and required to create the object.
- _Host_: names a host, so \`portolan settings promote\` skips it unless \`--map\` maps that host.
- _Lost_: portal upgrades drop it.
- \`exported\`, optional: the portal, URL and version the file came from. With it, \`portolan settings diff\` shows what an upgrade dropped.
- Colors are CSS names or hexadecimal, such as \`#ffcc00\`.

${settingObjectNames.map((name) => section(name, settingObject(name))).join('\n\n')}
`;

const section = (name: string, object: SettingObject) => {
  const twin = settingObjectNames.find((each) => settingObject(each).fields === object.fields);
  const values =
    twin !== undefined && twin !== name
      ? `Values as in \`${twin}\`.`
      : table(
          ['Value', 'Type; default', 'Meaning'],
          Object.entries(object.fields).map(([field, facts]) => row(field, facts)),
        );
  return `## ${name}\n\n${sentence(object.meaning)} ${availability(object)}\n\n${values}`;
};

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function availability({ since, only, notCarriedInto }: SettingObject) {
  const on =
    only === undefined ? '' : ` on ${only === 'hosted' ? 'ArcGIS Online' : 'ArcGIS Enterprise'} only`;
  const upgrade =
    notCarriedInto === undefined
      ? ''
      : ` The upgrade to ${notCarriedInto} drops the values of earlier releases; set them again.`;
  return `Since ${since}${on}.${upgrade}`;
}

function row(name: string, field: SettingField) {
  const marks = [
    ...(field.since === undefined ? [] : [`from ${field.since}`]),
    ...(field.isNeeded ? ['_needed_'] : []),
    ...(field.namesHost ? ['_host_'] : []),
    ...(field.isLostOnUpgrade ? ['_lost_'] : []),
  ];
  const unset = field.default === undefined ? '' : `; \`${JSON.stringify(field.default)}\``;
  return [`\`${name}\``, `${settingTypes[field.type]}${unset}`, [field.meaning, ...marks].join('; ')];
}
