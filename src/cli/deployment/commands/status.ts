import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { readDeploymentView } from '../../../service/deployment/read-deployment';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { deploymentTable } from '../render/deployment';

/** `portolan deploy status`: the builds of workflow code, who has them, and which runs keep to them. */
export const deployStatusCommand = () =>
  new Command('status')
    .description(
      'List worker versions.\n\nShows which version starts new runs, which workers have each version, and how many open runs are pinned to it.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const view = await withSources(loadConfig(globals.config), readDeploymentView);
        output.show(view, (style) => deploymentTable(view, style));
        return exitStatus.done;
      }),
    );
