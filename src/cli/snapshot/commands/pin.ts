import { Command } from '@commander-js/extra-typings';
import type { Portolan } from '../../../contract/contract';
import type { Pinned, Unpinned } from '../../../contract/snapshots';
import { act } from '../../terminal/act';
import { argumentHelp, reasonArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

type Pin = (portolan: Portolan, name: string, reason: string | undefined) => Promise<Pinned>;
type Unpin = (portolan: Portolan, name: string) => Promise<Unpinned>;

/** `portolan snapshot pin`: keeps a snapshot whatever the policy says. */
export const snapshotPinCommand = () =>
  pinCommand('snapshot', (portolan, snapshot, reason) =>
    portolan.pinSnapshot({ snapshot, reason }),
  ).addHelpText(...examples('k7q2 --reason "before the upgrade"'));

/** `portolan snapshot unpin`: applies the policy to a snapshot again. */
export const snapshotUnpinCommand = () =>
  unpinCommand('snapshot', (portolan, snapshot) => portolan.unpinSnapshot({ snapshot })).addHelpText(
    ...examples('k7q2'),
  );

/** `portolan release pin`: keeps a release until it is unpinned. */
export const releasePinCommand = () =>
  pinCommand('release', (portolan, release, reason) => portolan.pinRelease({ release, reason })).addHelpText(
    ...examples('m4wd --reason "in production"'),
  );

/** `portolan release unpin`: allows a release to be forgotten again. */
export const releaseUnpinCommand = () =>
  unpinCommand('release', (portolan, release) => portolan.unpinRelease({ release })).addHelpText(
    ...examples('m4wd'),
  );

const pinCommand = (noun: 'snapshot' | 'release', pin: Pin) =>
  new Command('pin')
    .description(`Keep a ${noun} until it is unpinned.`)
    .argument(`<${noun}>`, argumentHelp[noun])
    .option('--reason <text>', 'Reason, shown with the pin', reasonArgument)
    .action(
      act(async ({ portolan, output }, name, { reason }) => {
        const pinned = await pin(portolan, name, reason);
        const { id } = pinned;
        output.show(pinned, () => `${id} is pinned\nunpin    portolan ${noun} unpin ${id}`);
      }),
    );

const unpinCommand = (noun: 'snapshot' | 'release', unpin: Unpin) =>
  new Command('unpin')
    .description(`Allow a ${noun} to be forgotten again.`)
    .argument(`<${noun}>`, argumentHelp[noun])
    .action(
      act(async ({ portolan, output }, name) => {
        const unpinned = await unpin(portolan, name);
        const { id, wasPinned } = unpinned;
        output.show(unpinned, () => (wasPinned ? `${id} is unpinned` : `${id} was not pinned`));
      }),
    );
