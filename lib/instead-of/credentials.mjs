// The ways to get credentials: on Lambda there is one. The others are for people's machines and for other computers of AWS.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
