// DynamoDB's client prepares to have endpoints discovered, which no operation asks of it.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => false };
export const resolveEndpointDiscoveryConfig = (config) => config;
