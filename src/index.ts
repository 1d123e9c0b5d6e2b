import { main } from './main.ts';

void main();
