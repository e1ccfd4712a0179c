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
      'Lists the builds of workflow code that workers have come with: which one begins runs, who has it, and how many open runs keep to it.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const view = await withSources(loadConfig(globals.config), readDeploymentView);
        output.show(view, (style) => deploymentTable(view, style));
        return exitStatus.done;
      }),
    );
