"""Where logs come from: files, services, stores."""
