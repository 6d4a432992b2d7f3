// DynamoDB's endpoint discovery, which is off unless it is asked for, and a cache for what it finds.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: false,
};
export const resolveEndpointDiscoveryConfig = (config) => config;
export const getEndpointDiscoveryPlugin = () => ({ applyToStack() {} });
