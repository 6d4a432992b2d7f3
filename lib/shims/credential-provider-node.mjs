// Lambda gives a function its credentials in the environment, and nowhere else.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
