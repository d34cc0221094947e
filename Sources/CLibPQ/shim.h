#pragma once
#include <libpq-fe.h>

// Swift does not import macros that are characters.
static const int subledger_sqlState = PG_DIAG_SQLSTATE;
static const int subledger_primaryMessage = PG_DIAG_MESSAGE_PRIMARY;
