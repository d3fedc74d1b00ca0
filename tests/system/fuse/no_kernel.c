// A shared object that is no kernel: it lacks the function.
int something_else(void);
int something_else(void) { return 0; }
