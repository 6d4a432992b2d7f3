// The SDK's settings come from the environment: a function has no files of settings, and no instance to ask its region of.
import { fromEnv } from '../../node_modules/@smithy/core/dist-es/submodules/config/node-config-provider/fromEnv.js';
import { fromStatic } from '../../node_modules/@smithy/core/dist-es/submodules/config/node-config-provider/fromStatic.js';
import { chain } from '../../node_modules/@smithy/core/dist-es/submodules/config/property-provider/chain.js';
import { memoize } from '../../node_modules/@smithy/core/dist-es/submodules/config/property-provider/memoize.js';

export * from '../../node_modules/@smithy/core/dist-es/submodules/config/index.js';

export const loadConfig = ({ environmentVariableSelector, default: otherwise }) =>
  memoize(chain(fromEnv(environmentVariableSelector), fromStatic(otherwise)));

/** What it comes to when nobody asks for another. */
export const resolveDefaultsModeConfig = () => async () => 'legacy';

export const NODE_REGION_CONFIG_OPTIONS = {
  environmentVariableSelector: (environment) => environment.AWS_REGION,
  default: async () => {
    throw new Error('Region is missing');
  },
};
